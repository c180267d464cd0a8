/** Steps of a new installation (channel, test) and of a new account (token, request). */
export type OnboardingStep = { id: "channel" | "test" | "token" | "request"; done: boolean };
