// Package tree fits kernel machines to more rows than a kernel matrix has room for: a tree divides the rows, and each
// leaf has a recursive feature machine of its own (xRFM, arXiv 2508.10053). The time grows as n·log n in the rows n
// where that of one machine grows as n³.
//
// # The algorithm
//
// The algorithm is read from ALGORITHM.md of the authors' code (github.com/dmbeaglehole/xRFM, commit 399bd7f), not from
// the paper's text.
//
// A node with more rows than a leaf may have fits a machine to a subsample of them. The top eigenvector v of its AGOP is
// the direction along which that machine changes most. Rows with vᵀx up to the median go to the left, the others to
// the right. The threshold b is halfway between the median and the next value. The validation rows go down the tree too,
// and choose the iteration of each leaf.
//
// # Soft routing
//
// The outputs for a row are Σ over leaves of p(leaf)·f_leaf(x), where p is the product, over the nodes on the way to the
// leaf, of σ((vᵀx − b)/(T·s)) for a turn to the right and of 1 minus that for a turn to the left. Here σ is the logistic
// function, b the threshold, s the standard deviation of vᵀx over the rows of the node and T the temperature. T = 0 sends
// each row to one leaf. The temperature is chosen on the validation rows.
//
// # What differs from the authors' code
//
//   - M is handed down: the machines of a node's subsample and of a leaf begin with the M of the parent's, where the
//     authors begin with M = I each time. The root's subsample has eight iterations and the others one, chosen among by
//     validation rows, where theirs have one and no validation.
//   - The temperature is chosen, on the validation rows, where theirs is given; s is one of their options.
//   - Where many rows are equal along the top eigenvector the median may not divide them; then the eigenvector that
//     divides them best is taken. Of rows that are all equal a leaf keeps as many as it may have.
//   - The kernel is that of the [rfm.Machine] in every leaf, and so is its bandwidth, unless the machine adapts it; the
//     authors adapt it otherwise. The AGOP is scaled as the machine says, where they divide it by its largest element.
//   - Branches with less than a thousandth of the weight of a row are left out, and the other weights divided by their sum.
package tree
