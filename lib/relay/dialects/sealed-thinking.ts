/**
 * Thoughts come back from a client with the signature or the encrypted text of the upstream that thought them, whichever
 * upstream is asked next. OpenAI's are Fernet tokens, which all begin alike; nobody else's are known to.
 */
const OPENAI_SEAL = /^gAAAA/;

export function isSealedByOpenai(seal: string): boolean {
  return OPENAI_SEAL.test(seal);
}
