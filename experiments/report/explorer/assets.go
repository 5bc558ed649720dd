package explorer

import _ "embed"

var (
	// Script draws the document in the element with the ID explorer. It reads the document as JSON from the element
	// explorer-data.
	//
	//go:embed assets/explorer.js
	Script string
	// Style is the style sheet of what Script draws. It uses the colours of package report's.
	//
	//go:embed assets/explorer.css
	Style string
)
