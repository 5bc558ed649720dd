# The neural tangent kernel of a tiny LeNet by PyTorch, in float64: three images, weights as torch.save
# writes them, and Θ = JJᵀ from one gradient an output. Run: /usr/bin/python3 make_ntk.py
import os
import numpy as np, torch, torch.nn as nn
from PIL import Image
here = os.path.dirname(os.path.abspath(__file__))
torch.manual_seed(7)


class LeNet(nn.Module):
    """LeNet with a fifth of the usual widths, on images of three channels."""
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 1, 5, padding=2), nn.Conv2d(1, 3, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(75, 24), nn.Linear(24, 17), nn.Linear(17, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = torch.max_pool2d(torch.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


rng = np.random.default_rng(3)
pixels = []
for i in range(3):
    noise = rng.integers(0, 256, (28, 28, 3)).astype(np.uint8)
    Image.fromarray(noise).save(f'{here}/images/{i}.png')
    pixels.append(noise.transpose(2, 0, 1) / 255.)
net = LeNet()
torch.save(net.state_dict(), f'{here}/lenet.pth')
net = net.double()
# Pixels are float32 before they are anything else.
x = torch.from_numpy(np.array(pixels).astype(np.float32)).double()
P = list(net.parameters())
J = torch.stack([torch.cat([g.flatten() for g in torch.autograd.grad(f, P, retain_graph=True)]) for k in range(3) for f in net(x[k:k + 1])[0]])
np.save(f'{here}/gram.npy', (J @ J.T).numpy())
np.save(f'{here}/singular.npy', torch.linalg.svdvals(J).numpy())
