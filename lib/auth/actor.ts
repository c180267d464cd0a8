import type { Database } from "@/db/client";
import { ROLE, type UserActor } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { type AccountRow, findAccount, findAccountByAccessToken } from "./queries";
import { decodeSession } from "./session-token";

/** The credentials that a request to /api carries. */
export type Credentials = { cookie: string | undefined; authorization: string | null; userId: string | null };

const KNOWN_ROLES: readonly number[] = Object.values(ROLE);

/** The account behind a session cookie while that session is valid, or null. A banned account is returned as such. */
async function findSessionAccount(db: Database, cookie: string | undefined): Promise<AccountRow | null> {
  const claims = cookie ? await decodeSession(cookie) : null;
  if (!claims) return null;
  const account = await findAccount(db, claims.uid);
  if (!account) return null;
  return account.status !== 1 || account.sessionVersion === claims.sv ? account : null;
}

/** The signed-in user of a session cookie, or null: not signed in, revoked, banned or deleted. */
export async function findSessionActor(db: Database, cookie: string | undefined): Promise<UserActor | null> {
  const account = await findSessionAccount(db, cookie);
  return account && account.status === 1 ? toActor(account, "session") : null;
}

/**
 * Who calls /api, by session or by system access token, with the checks in the order of contract §1.2. Throws
 * unauthenticated (HTTP 401 there) or forbidden (200).
 */
export async function authenticate(db: Database, credentials: Credentials, role: number): Promise<UserActor> {
  const bySession = await findSessionAccount(db, credentials.cookie);
  const account = bySession ?? (await findTokenAccount(db, credentials.authorization));
  if (account.username === "" || !KNOWN_ROLES.includes(account.role))
    throw new AppError("forbidden", "userDataInvalid");
  const { userId } = credentials;
  if (userId === null || userId === "") throw new AppError("unauthenticated", "userHeaderMissing");
  if (!/^-?\d{1,15}$/.test(userId)) throw new AppError("unauthenticated", "userHeaderMalformed");
  if (Number(userId) !== account.id) throw new AppError("unauthenticated", "userHeaderMismatch");
  if (account.status !== 1) throw new AppError("forbidden", "userBanned");
  if (account.role < role) throw new AppError("forbidden", "insufficientRights");
  return toActor(account, bySession ? "session" : "access-token");
}

async function findTokenAccount(db: Database, authorization: string | null): Promise<AccountRow> {
  const token = (authorization ?? "").replace(/^Bearer\s+/i, "").trim();
  if (token === "") throw new AppError("unauthenticated", "notSignedIn");
  const account = await findAccountByAccessToken(db, sha256Hex(token));
  if (!account) throw new AppError("forbidden", "accessTokenInvalid");
  return account;
}

function toActor(account: AccountRow, via: "session" | "access-token"): UserActor {
  const { id, username, role, group } = account;
  return { type: "user", id, username, role, group, via };
}
