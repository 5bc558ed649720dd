package tangent

import "github.com/ansatz-lab/ansatz/models/kernels"

// formText says what a form of the kernel is, in records and on pages.
type formText struct {
	convention string // with a place for the parameterisation
	subject    string // with places for the network, its weights, the images and the outputs
	// rootsTitle and roots name the singular values.
	rootsTitle, roots string
	// The others describe a linearization: what was fitted, Θ, how the model differs from f_lin, and a sentence on its flow.
	fitted, theta, model, flow string
}

// formTexts are the texts by form. Only the full kernel has a Jacobian and belongs to a linear model.
var formTexts = map[kernels.Form]formText{
	kernels.Full: {
		convention: "Θ = JJᵀ of all outputs (logits) in all trained weights, %s parameterisation, evaluation mode; rows are " +
			"images, and within an image its outputs",
		subject:    "The Jacobian of %s (%d weights) at %s × %s",
		rootsTitle: "Singular values of the Jacobian",
		roots:      "Singular values σ of the Jacobian",
		fitted:     "linearization",
		theta:      "Θ = JJᵀ",
	},
	kernels.Trace: {
		convention: "Θ = Σ_c J_cJ_cᵀ/k, the mean over the k outputs (logits) of their kernels in all trained weights, " +
			"%s parameterisation, evaluation mode; rows are images; singular values are the roots of its eigenvalues",
		subject:    "The trace kernel of %s (%d weights) at %s, the mean over %s,",
		rootsTitle: "Square roots of the trace kernel's eigenvalues",
		roots:      "Square roots σ of the eigenvalues of the trace kernel",
		fitted:     "trace kernel, which approximates the linearization,",
		theta:      "Θ ≈ Θ_tr ⊗ I",
		model: "in which all outputs share the trace kernel Θ_tr = Σ_c Θ_cc/k, and change independently of each other; " +
			"exact in the limit of infinite width",
		flow: "All outputs share the trace kernel: an approximation, exact in the limit of infinite width.",
	},
	kernels.Diagonal: {
		convention: "Θ_cc = J_cJ_cᵀ of each of the k outputs (logits) in all trained weights, without Θ_cd of different " +
			"outputs, %s parameterisation, evaluation mode; a block for each output, whose rows are images; singular values are " +
			"those of the J_c, of all blocks together",
		subject:    "The diagonal kernel of %s (%d weights) at %s, a block for each of %s,",
		rootsTitle: "Square roots of the diagonal kernel's eigenvalues",
		roots:      "Square roots σ of the eigenvalues of the diagonal kernel, of all its blocks,",
		fitted:     "diagonal kernel, which approximates the linearization,",
		theta:      "Θ ≈ Θ_11 ⊕ … ⊕ Θ_kk",
		model: "in which every output c has its own kernel Θ_cc, and changes independently of the others: the kernel Θ_cd " +
			"between different outputs is neglected; exact in the limit of infinite width",
		flow: "Every output has its own kernel, and the kernel between different outputs is neglected: an approximation, exact " +
			"in the limit of infinite width.",
	},
}

// textOf returns the texts of a form by its name; "" is full, as in a record of a method without forms.
func textOf(name string) formText {
	f, err := kernels.ParseForm(name)
	if err != nil { // in a record that others wrote
		f = kernels.Full
	}
	return formTexts[f]
}
