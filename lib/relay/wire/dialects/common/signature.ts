/**
 * Thinking can be sent back only to the upstream that signed it, and clients keep it whichever upstream is asked next. In
 * canonical form its signature, or its encrypted text, begins with the upstream's name and a colon. Two need no name:
 * OpenAI's are Fernet tokens, which all begin alike, and Anthropic's are base64 of another kind.
 */
export function signedBy(name: string, signature: string): string {
  return `${name}:${signature}`;
}

/** The signature as this upstream wrote it; null = another one did. */
export function readSigned(name: string, signature: string): string | null {
  return signature.startsWith(`${name}:`) ? signature.slice(name.length + 1) : null;
}

const NAMED = /^([a-z][a-z0-9-]*):/;
const OPENAI_SEAL = /^gAAAA/;

/** Who made this signature or encrypted text. */
export function ownerOf(signature: string): string {
  const name = NAMED.exec(signature)?.[1];
  if (name !== undefined) return name;
  return OPENAI_SEAL.test(signature) ? "openai" : "anthropic";
}
