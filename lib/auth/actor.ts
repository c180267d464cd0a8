import type { Database } from "@/db/client";
import { type ActorSession, ROLE, type UserActor } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { USER_STATUS } from "@/lib/row-status";
import { type AccountRow, findAccountByAccessToken } from "./queries";
import { touchSession } from "./session-commands";
import { findSession } from "./session-queries";
import { decodeSession } from "./session-token";

/** Credentials of a request to /api. */
export type Credentials = {
  cookie: string | undefined;
  authorization: string | null;
  userId: string | null;
  /** The account of the access token, where it was looked for already. */
  tokenAccount?: AccountRow | null;
};

const KNOWN_ROLES: readonly number[] = Object.values(ROLE);

type Found = { account: AccountRow; session: ActorSession | null };

/** The account of a session cookie, or null when the session is not valid. Also returns banned accounts. */
async function findSessionAccount(db: Database, cookie: string | undefined): Promise<Found | null> {
  const claims = cookie ? await decodeSession(cookie) : null;
  const found = claims && (await findSession(db, claims));
  if (!found) return null;
  if (found.account.status !== USER_STATUS.enabled) return { account: found.account, session: null };
  if (!found.session) return null;
  await touchSession(db, found.session);
  const { id, confirmedAt } = found.session;
  return { account: found.account, session: { id, confirmedAt } };
}

/** The signed-in user of a session cookie; null when not signed in, signed out, expired, banned or deleted. */
export async function findSessionActor(db: Database, cookie: string | undefined): Promise<UserActor | null> {
  const found = await findSessionAccount(db, cookie);
  return found?.session ? toActor(found) : null;
}

/**
 * The user of an /api request, by session or system access token, with the checks in the order of contract §1.2. Throws
 * unauthenticated (HTTP 401 there) or forbidden (200).
 */
export async function authenticate(db: Database, credentials: Credentials, role: number): Promise<UserActor> {
  const bySession = await findSessionAccount(db, credentials.cookie);
  const found = bySession ?? { account: await findTokenAccount(db, credentials), session: null };
  const { account } = found;
  if (account.username === "" || !KNOWN_ROLES.includes(account.role))
    throw new AppError("forbidden", "userDataInvalid");
  const { userId } = credentials;
  if (userId !== null && userId !== "") assertHeaderFits(userId, account);
  // An access token says by itself whose it is; a browser's cookie goes along with whatever a page sends.
  else if (bySession) throw new AppError("unauthenticated", "userHeaderMissing");
  if (account.status !== USER_STATUS.enabled) throw new AppError("forbidden", "userBanned");
  if (account.role < role) throw new AppError("forbidden", "insufficientRights");
  return toActor(found);
}

function assertHeaderFits(userId: string, account: AccountRow): void {
  if (!/^-?\d{1,15}$/.test(userId)) throw new AppError("unauthenticated", "userHeaderMalformed");
  if (Number(userId) !== account.id) throw new AppError("unauthenticated", "userHeaderMismatch");
}

/** By what an access token is found; null = the header has none. */
export function accessTokenHash(authorization: string | null): string | null {
  const token = (authorization ?? "").replace(/^Bearer\s+/i, "").trim();
  return token === "" ? null : sha256Hex(token);
}

async function findTokenAccount(db: Database, { authorization, tokenAccount }: Credentials): Promise<AccountRow> {
  const hash = accessTokenHash(authorization);
  if (hash === null) throw new AppError("unauthenticated", "notSignedIn");
  const account = tokenAccount ?? (await findAccountByAccessToken(db, hash));
  if (!account) throw new AppError("forbidden", "accessTokenInvalid");
  return account;
}

function toActor({ account, session }: Found): UserActor {
  const { id, username, role, group } = account;
  const who = { type: "user", id, username, role, group } as const;
  return session ? { ...who, via: "session", session } : { ...who, via: "access-token" };
}
