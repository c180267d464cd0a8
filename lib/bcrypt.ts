import { compare } from "bcryptjs";

/** `$2a$10$` and the like, 22 characters of salt, 31 of hash. */
const FORMAT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** 2^15 rounds take seconds; who wants more than that wants to keep the process busy. */
const COST_MAX = 15;
const COST_MIN = 4;

export function isBcryptHash(stored: string): boolean {
  const cost = Number(FORMAT.exec(stored)?.[1]);
  return cost >= COST_MIN && cost <= COST_MAX;
}

/**
 * Whether the password has this bcrypt hash. Accounts from other systems come with such hashes. Other requests get a turn
 * every 100 ms. An unknown format is false.
 */
export async function verifyBcrypt(password: string, stored: string): Promise<boolean> {
  return isBcryptHash(stored) && compare(password, stored);
}
