const HIDDEN = "…";

/** What is shown of a key: its first and last four characters. */
export const keyHintOf = (key: string): string => `${key.slice(0, 4)}${HIDDEN}${key.slice(-4)}`;

/** The same of a key of which another system kept a hash and its end. */
export const hashOnlyHint = (end: string): string => `${HIDDEN}${end.slice(-4)}`;

/** Whether the key cannot be shown, because only a hash of it is known. Weir's own hints never begin so. */
export const isHashOnly = ({ keyHint }: { keyHint: string }): boolean => keyHint.startsWith(HIDDEN);
