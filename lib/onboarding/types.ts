/** Steps of a new installation (channel, test, address) and of a new account (token, request). */
export type OnboardingStep = { id: "channel" | "test" | "token" | "request" | "address"; done: boolean };
