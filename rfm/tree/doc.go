// Package tree fits kernel machines to more rows than a kernel matrix has room for: a tree divides the rows, and each
// leaf has a recursive feature machine of its own (xRFM, arXiv 2508.10053). The time grows as n·log n in the rows n
// where that of one machine grows as n³.
//
// # The algorithm
//
// The algorithm follows ALGORITHM.md of the authors' code (github.com/dmbeaglehole/xRFM, commit 399bd7f), not the paper's
// text.
//
// At a node with more rows than a leaf may have, a machine is fitted to a subsample of them. The top eigenvector v of its
// AGOP is the direction along which its predictions change most. Rows with vᵀx up to the median go to the left, the others
// to the right. The threshold b is halfway between the median and the next value. The validation rows go down the tree too,
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
//   - M is handed down: the machines of a node's subsample and of a leaf begin with the M of the parent's machine, while the
//     authors begin with M = I each time. The root's machine runs eight iterations and the others one, and validation rows
//     choose the best; the authors' machines run one, without validation.
//   - The validation rows choose the temperature, while the authors' is given. Dividing by s is one of their options.
//   - If many rows are equal along the top eigenvector, the median may not divide them. The split then uses the next
//     eigenvector that divides them well enough, or the best one. If all rows are equal, a leaf keeps as many as it may have.
//   - Every leaf has the kernel of the [rfm.Machine] and its bandwidth, unless the machine adapts it; the authors adapt it in
//     another way. The machine's Scale says how the AGOP is scaled, while the authors divide it by its largest element.
//   - Branches with less than a thousandth of the weight of a row are dropped, and the other weights are divided by their sum.
package tree
