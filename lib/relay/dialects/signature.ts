/**
 * Thinking can be sent back only to the upstream that signed it. Its signature, or its encrypted text, begins with that
 * upstream's name and a colon. Those without a name are Anthropic's, which are base64 and have no colon.
 */
export function signedBy(name: string, signature: string): string {
  return `${name}:${signature}`;
}

/** The signature as this upstream wrote it; null = another one did. */
export function readSigned(name: string, signature: string): string | null {
  return signature.startsWith(`${name}:`) ? signature.slice(name.length + 1) : null;
}

/** Whether no other upstream is named. */
export function isUnnamed(signature: string): boolean {
  return !/^[a-z][a-z0-9-]*:/.test(signature);
}
