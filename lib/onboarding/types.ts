/** A step of the first day: a channel, its test, a token, a request. */
export type OnboardingStep = { id: "channel" | "test" | "token" | "request"; done: boolean };
