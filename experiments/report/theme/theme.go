// Package theme has the look that the pages of reports and of the documentation share.
package theme

import _ "embed"

var (
	// Style is the style sheet of text, headings, links, buttons and tables, by day and by night.
	//
	//go:embed theme.css
	Style string
	// Script makes the button with the ID theme switch between day and night.
	//
	//go:embed theme.js
	Script string
)
