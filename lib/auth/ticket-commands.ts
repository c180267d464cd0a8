import { randomBytes, randomUUID } from "node:crypto";
import type { Database } from "@/db/client";
import { AppError } from "@/lib/errors";
import { USER_STATUS } from "@/lib/row-status";
import { consumeSecret, issueSecret, verifySecret } from "./one-time-secret/commands";
import { type AccountRow, findAccount } from "./queries";
import { verifyFactorCode } from "./totp-commands";

const KIND = "second-factor";
const TICKET_SECONDS = 300;
const TICKET_TRIES = 8;
/** User id, session_version and a UUID, then the secret, which is bound to these three. */
const FORM = /^((\d{1,10})\.(\d{1,10})\.[0-9a-f-]{36})\.([\w-]{43})$/;

/** Issued between the right password and the second factor. `methods` lists the factors the account can use. */
export type Ticket = { ticket: string; expiresIn: number; methods: ("totp" | "recovery" | "passkey")[] };

/** Creates a ticket for the second step of signing in: for one account, five minutes and one use. */
export async function issueTicket(
  db: Database,
  input: { account: Pick<AccountRow, "id" | "sessionVersion">; passkey: boolean },
): Promise<Ticket> {
  const subject = `${input.account.id}.${input.account.sessionVersion}.${randomUUID()}`;
  const secret = randomBytes(32).toString("base64url");
  await issueSecret(db, { kind: KIND, subject, secret, lifetimeSeconds: TICKET_SECONDS });
  return {
    ticket: `${subject}.${secret}`,
    expiresIn: TICKET_SECONDS,
    methods: ["totp", "recovery", ...(input.passkey ? (["passkey"] as const) : [])],
  };
}

/**
 * The account of a valid ticket. Throws invalid when the ticket is not valid, or when the account was banned or its
 * password changed since.
 */
export async function readTicket(db: Database, ticket: string): Promise<AccountRow> {
  const { subject, secret, userId, sessionVersion } = parseTicket(ticket);
  if (!(await verifySecret(db, { kind: KIND, subject, secret, attemptsMax: TICKET_TRIES }))) throw ticketInvalid();
  const account = await findAccount(db, userId);
  if (account?.status !== USER_STATUS.enabled || account.sessionVersion !== sessionVersion) throw ticketInvalid();
  return account;
}

/** Uses up a ticket, so that it signs in once. Throws invalid when it is already used. */
export async function redeemTicket(db: Database, ticket: string): Promise<void> {
  const { subject, secret } = parseTicket(ticket);
  if (!(await consumeSecret(db, { kind: KIND, subject, secret }))) throw ticketInvalid();
}

function parseTicket(ticket: string) {
  const [, subject = "", userId, sessionVersion, secret = ""] = FORM.exec(ticket) ?? [];
  if (subject === "") throw ticketInvalid();
  return { subject, secret, userId: Number(userId), sessionVersion: Number(sessionVersion) };
}

/** Second step of signing in, by an authenticator code or a recovery code. */
export async function loginByCode(
  db: Database,
  input: { ticket: string; code: string; clientIp: string },
): Promise<AccountRow> {
  const account = await readTicket(db, input.ticket);
  await verifyFactorCode(db, { userId: account.id, clientIp: input.clientIp, code: input.code });
  await redeemTicket(db, input.ticket);
  return account;
}

function ticketInvalid(): AppError {
  // Not "unauthenticated": for that the console opens the sign-in page, where the user already is.
  return new AppError("invalid", "ticketInvalid");
}
