"""Actor and critic of one network on a line to be walked to its end; chance comes from NumPy."""

import numpy as np

from ._tools import fixed

LENGTH = 6


class Line:
    """Two actions, left and right; a reward at the right end."""

    def reset(self):
        self.place = 1
        return self.state()

    def state(self):
        return np.eye(LENGTH, dtype="float32")[self.place]

    def step(self, action):
        self.place = max(self.place + (1 if action == 1 else -1), 0)
        done = self.place == LENGTH - 1
        return self.state(), 1.0 if done else -0.1, done, {}


def run(mx, show):
    gluon, autograd, nn, F = mx.gluon, mx.autograd, mx.gluon.nn, mx.nd

    class Policy(gluon.Block):
        def __init__(self, **kwargs):
            super(Policy, self).__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(16, in_units=LENGTH, activation="relu")
                self.action_pred = nn.Dense(2, in_units=16)
                self.value_pred = nn.Dense(1, in_units=16)

        def forward(self, x):
            x = self.dense(x)
            probs = self.action_pred(x)
            values = self.value_pred(x)
            return F.softmax(probs), values

    env, net, chance = Line(), Policy(), np.random.RandomState(3)
    net.initialize(fixed(mx))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-2})
    loss = gluon.loss.L1Loss()
    smooth_length, losses, walks = 10, [], []
    for epoch in range(20):
        state = env.reset()
        rewards, values, log_probs, actions = [], [], [], []
        with autograd.record():
            for t in range(12):
                state = mx.nd.array(np.expand_dims(state, 0))
                prob, value = net(state)
                action = int(chance.rand() < prob[0, 1].asscalar())
                log_probs.append(F.log(F.pick(prob, mx.nd.array([action]))))
                state, reward, done, _ = env.step(action)
                rewards.append(reward)
                values.append(value)
                actions.append(action)
                if done:
                    break

            smooth_length = 0.99 * smooth_length + 0.01 * t
            returns = np.zeros(len(rewards))
            for i in reversed(range(len(rewards))):
                returns[i] = rewards[i] + (0.95 * returns[i + 1] if i + 1 < len(rewards) else 0)
            returns = (returns - returns.mean()) / (returns.std() + 1e-12)
            critic = sum([loss(value, mx.nd.array([r])) for r, value in zip(returns, values)])
            heads = [critic]
            for log_prob, r, value in zip(log_probs, returns, values):
                heads.append(-log_prob * (r - value.asnumpy()[0, 0]))       # a number: the critic learns from its loss
        autograd.backward(heads)
        trainer.step(t + 1)
        losses.append(critic.asscalar())
        walks.append(actions)
    show("losses", losses)
    show("actions", walks)
    show("smooth length", smooth_length)
