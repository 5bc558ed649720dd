module example.com/experiment

go 1.26.0

require github.com/ansatz-lab/ansatz v0.0.0

replace github.com/ansatz-lab/ansatz => ../..
