/** A step of the first day: a channel, its test (of the installation), a token, a request (of an account). */
export type OnboardingStep = { id: "channel" | "test" | "token" | "request"; done: boolean };
