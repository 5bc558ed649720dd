package explorer

import _ "embed"

var (
	// Script draws the document in the element with the ID explorer. It reads the document as JSON from the element
	// explorer-data.
	//
	//go:embed assets/explorer.js
	Script string
	// Style is the style sheet of the explorer. It uses the colours of package theme's style sheet.
	//
	//go:embed assets/explorer.css
	Style string
)
