import { and, eq } from "drizzle-orm";
import { passkeys } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { requireRecentProof } from "@/lib/proof";
import { refuseChanged, type Seen } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { listPasskeysOf, type OwnPasskey } from "./factor-queries";
import { consumeSecret, issueSecret } from "./one-time-secret/commands";
import {
  CHALLENGE_SECONDS,
  PASSKEYS_MAX,
  passkeyNameSchema,
  type RegistrationAnswer,
  toRegistrationResponse,
  userHandleOf,
} from "./passkey";
import type { RelyingParty } from "./relying-party";
import { tellFactorChange } from "./tell-factor-change";

const KIND = "passkey-register";

/** The options for the browser's registration call. Throws conflict when the user already has twenty passkeys. */
export async function startPasskeyRegistration(ctx: ServiceContext, party: RelyingParty) {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const own = await listPasskeysOf(ctx.db, actor.id);
  if (own.length >= PASSKEYS_MAX) throw new AppError("conflict", "passkeyTooMany", { max: PASSKEYS_MAX });
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: actor.username,
    userID: userHandleOf(actor.id),
    excludeCredentials: own.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
  await issueSecret(ctx.db, {
    kind: KIND,
    subject: subjectOf(ctx),
    secret: options.challenge,
    lifetimeSeconds: CHALLENGE_SECONDS,
  });
  return options;
}

/** Stores the passkey that the browser created. Throws invalid when it does not answer this session's challenge. */
export async function finishPasskeyRegistration(
  ctx: ServiceContext,
  party: RelyingParty,
  input: { name: string; response: RegistrationAnswer },
): Promise<OwnPasskey> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const name = parseInput(passkeyNameSchema, input.name);
  const { credential, backedUp } = await verifyNewPasskey(ctx, party, input.response);
  return ctx.db.transaction(async (tx) => {
    const [row] = await tx
      .insert(passkeys)
      .values({
        id: credential.id,
        userId: actor.id,
        name,
        publicKey: Buffer.from(credential.publicKey).toString("base64url"),
        counter: credential.counter,
        transports: input.response.response.transports ?? [],
        backedUp,
      })
      .onConflictDoNothing()
      .returning({
        id: passkeys.id,
        name: passkeys.name,
        createdAt: passkeys.createdAt,
        lastUsedAt: passkeys.lastUsedAt,
        backedUp: passkeys.backedUp,
      });
    if (!row) throw new AppError("conflict", "passkeyTaken");
    await writeAudit(tx, ctx, { action: "user.passkey-add", subject: `user:${actor.id}`, after: { name } });
    await tellFactorChange(tx, ctx, actor.id);
    return row;
  });
}

async function verifyNewPasskey(ctx: ServiceContext, party: RelyingParty, answer: RegistrationAnswer) {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: toRegistrationResponse(answer),
      expectedChallenge: async (secret) =>
        (await consumeSecret(ctx.db, { kind: KIND, subject: subjectOf(ctx), secret })) !== null,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
    });
    if (!verified) throw new Error("not verified");
    return { credential: registrationInfo.credential, backedUp: registrationInfo.credentialBackedUp };
  } catch (error) {
    // The library throws an Error for every invalid answer, including malformed ones.
    throw new AppError("invalid", "passkeyRefused", {}, error);
  }
}

export async function renamePasskey(
  ctx: ServiceContext,
  { id, name: given, seen }: { id: string; name: string; seen?: Seen | undefined },
): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const name = parseInput(passkeyNameSchema, given);
  const own = and(eq(passkeys.id, id), eq(passkeys.userId, actor.id));
  await ctx.db.transaction(async (tx) => {
    const [before] = await tx.select({ name: passkeys.name }).from(passkeys).where(own).for("update");
    if (!before) throw new AppError("not_found", "passkeyNotFound");
    refuseChanged(before, { name }, seen);
    await tx.update(passkeys).set({ name }).where(own);
  });
}

export async function deletePasskey(ctx: ServiceContext, input: { id: string }): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  await ctx.db.transaction(async (tx) => {
    const [gone] = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.id, input.id), eq(passkeys.userId, actor.id)))
      .returning({ name: passkeys.name });
    if (!gone) throw new AppError("not_found", "passkeyNotFound");
    await writeAudit(tx, ctx, { action: "user.passkey-delete", subject: `user:${actor.id}`, before: gone });
    await tellFactorChange(tx, ctx, actor.id);
  });
}

/** Binds a challenge to the session that requested it. */
function subjectOf(ctx: ServiceContext): string {
  return ctx.actor.type === "user" ? (ctx.actor.session?.id ?? "") : "";
}
