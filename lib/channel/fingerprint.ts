import { seal, sha256Hex } from "@/lib/crypto";

const LENGTH = 16;

/** Equal for equal keys; reveals nothing of the key. */
export function fingerprintOf(key: string): string {
  return sha256Hex(key).slice(0, LENGTH);
}

export function sealKey(key: string): { cipher: string; fingerprint: string } {
  return { cipher: seal(key), fingerprint: fingerprintOf(key) };
}
