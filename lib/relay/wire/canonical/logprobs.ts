/** How likely a token was, as a natural logarithm. */
export type TokenLogprob = TokenChance & { alternatives: readonly TokenChance[] };
/** `bytes`: of a token that is not text of its own; absent = those of the text. */
export type TokenChance = { token: string; logprob: number; bytes?: readonly number[] };
