// Package report turns the results of an experiment into something to look
// at: one self-contained HTML page, its figures as SVG, PDF and PNG, and its tables
// as HTML, plain text, Markdown and CSV.
//
// The package gets plain records and knows nothing about models. A [Page] says
// first what is claimed, then shows figures and tables, and ends with where
// everything came from; [Page.Save] writes it, with its figures and tables beside
// it. Figures come from the chart functions:
//
//   - [LayerChart] shows a similarity per layer against its null control,
//   - [HeatMaps] shows matrices side by side,
//   - [ImageGrid] shows pictures in rows and columns,
//   - [LineChart] shows curves with bands,
//   - [BarChart] shows grouped bars.
//
// # Measures
//
// Figures are laid out in points (1/72 inch) and are meant to be seen at their
// own size, where text is 8 to 10.5 points high: 504 points across fill the
// text column of the page and of an A4 sheet, and 720 points are the most that
// any figure but a long row of matrices takes. The PDF and the PNG of a figure are no
// wider than the 504 points of a page's text, and the PNG has 300 pixels per inch.
//
// # Absent values
//
// NaN means “no value” everywhere. Infinite values, and values beyond ±1e150,
// cannot be placed on an axis and count as absent in charts. A table shows the
// text that it is given.
//
// # Output
//
// The same input gives the same bytes: no clock, no random numbers and no map
// order are involved. Strings may hold anything; they are escaped for the
// format that they go to, and control characters do not reach a terminal or a
// figure. Text in figures is set in Liberation Sans, as outlines, so that no viewer needs the
// font; a character that it lacks shows as a box. Package draw has the formats.
package report
