// Package report turns the results of an experiment into one self-contained HTML
// page, its figures as SVG, PDF and PNG, and its tables as HTML, plain text,
// Markdown, CSV and LaTeX.
//
// The package gets plain records and knows nothing about models. A [Page] first
// says what is claimed, then shows figures and tables, and ends with their
// provenance; [Page.Save] writes it, with the files of its figures and tables.
// Figures come from the chart functions:
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
// own size, where text is 8 to 10.5 points high. The text column of the page and
// of an A4 sheet is 504 points wide, and no figure but a long row of matrices is
// wider than 720 points. The PDF and the PNG of a figure are no wider than 504
// points, and the PNG has 300 pixels per inch.
//
// # Absent values
//
// NaN means “no value” everywhere. Infinite values, and values beyond ±1e150,
// cannot be placed on an axis and count as absent in charts. A table shows its
// texts as they are.
//
// # Output
//
// The same input gives the same bytes: no clock, no random numbers and no map
// order are involved. Strings may hold anything: the package escapes them for each
// format, and keeps control characters from terminals and figures. Text in figures
// is set in Liberation Sans, as outlines, so that no viewer needs the font; a
// character that the font lacks shows as a box. Package draw writes the formats.
package report
