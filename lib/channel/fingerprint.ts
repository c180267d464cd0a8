import { seal, sha256Hex } from "@/lib/crypto";

const LENGTH = 16;

/** Tells whether two keys are the same; reveals nothing of either. */
export function fingerprintOf(key: string): string {
  return sha256Hex(key).slice(0, LENGTH);
}

/** A key as it is stored. */
export function sealKey(key: string): { cipher: string; fingerprint: string } {
  return { cipher: seal(key), fingerprint: fingerprintOf(key) };
}
