import { timingSafeEqual } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { oneTimeSecrets, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { defaultEvents } from "./events";
import { insertTarget } from "./target-commands";
import { hintOf, readConfig } from "./target-config";
import { createWxPusherCode, findScannedUid } from "./wxpusher-client";

const KIND = "wxpusher-bind";
const VALID_SECONDS = 600;
/** WxPusher forbids more frequent queries. */
const ASK_SECONDS = 10;

type Payload = { code: string; askedAt: number; targetId?: number };
export type BindingState = { state: "waiting" | "expired" } | { state: "bound"; targetId: number };

/** Creates a QR code to bind a WeChat account; an earlier code becomes invalid. */
export async function startWxPusherBinding(ctx: ServiceContext): Promise<{ image: string; expiresAt: number }> {
  const actor = requireRole(ctx, ROLE.user);
  const options = await loadOptions(ctx.db);
  const secret = randomAlphanumeric(32);
  const { code, image } = await createWxPusherCode(options, `${actor.id}.${secret}`, VALID_SECONDS);
  const expiresAt = nowSeconds() + VALID_SECONDS;
  const payload: Payload = { code, askedAt: nowSeconds() };
  const row = { secretHash: sha256Hex(secret), payload, attempts: 0, expiresAt };
  await ctx.db
    .insert(oneTimeSecrets)
    .values({ kind: KIND, subject: String(actor.id), ...row })
    .onConflictDoUpdate({ target: [oneTimeSecrets.kind, oneTimeSecrets.subject], set: row });
  return { image, expiresAt };
}

/** The state of the current user's binding. WxPusher is queried at most every ten seconds, however often this is called. */
export async function checkWxPusherBinding(ctx: ServiceContext): Promise<BindingState> {
  const actor = requireRole(ctx, ROLE.user);
  const found = await findBinding(ctx.db, actor.id);
  if (!found) return { state: "expired" };
  if (found.payload.targetId !== undefined) return { state: "bound", targetId: found.payload.targetId };
  if (!(await mayAsk(ctx.db, actor.id))) return { state: "waiting" };
  const uid = await findScannedUid(await loadOptions(ctx.db), found.payload.code);
  if (uid === null) return { state: "waiting" };
  return { state: "bound", targetId: await bind(ctx, actor.id, found.secretHash, uid) };
}

/**
 * Handles WxPusher's callback for a scanned code. It must contain the secret of the code, which only WxPusher and the
 * user's browser know. Throws not_found otherwise.
 */
export async function receiveWxPusherScan(ctx: ServiceContext, extra: string, uid: string): Promise<void> {
  const [, id = "", secret = ""] = /^(\d{1,10})\.(\w{32})$/.exec(extra) ?? [];
  const userId = Number(id);
  const found = id === "" || userId > 2_147_483_647 ? null : await findBinding(ctx.db, userId);
  const hash = sha256Hex(secret);
  if (!found || !timingSafeEqual(Buffer.from(found.secretHash), Buffer.from(hash))) {
    throw new AppError("not_found", "notifyBindingUnknown");
  }
  if (found.payload.targetId === undefined) await bind(ctx, userId, hash, uid);
}

async function findBinding(db: Database, userId: number): Promise<{ secretHash: string; payload: Payload } | null> {
  const [row] = await db
    .select({ secretHash: oneTimeSecrets.secretHash, payload: sql<Payload>`${oneTimeSecrets.payload}` })
    .from(oneTimeSecrets)
    .where(and(ownBinding(userId), sql`${oneTimeSecrets.expiresAt} > extract(epoch from clock_timestamp())`));
  return row ?? null;
}

function ownBinding(userId: number) {
  return and(eq(oneTimeSecrets.kind, KIND), eq(oneTimeSecrets.subject, String(userId)));
}

/** Claims the right to query WxPusher now; of several browsers only one gets it. */
async function mayAsk(db: Database, userId: number): Promise<boolean> {
  const asked = sql`(${oneTimeSecrets.payload}->>'askedAt')::bigint`;
  const now = nowSeconds();
  const rows = await db
    .update(oneTimeSecrets)
    .set({ payload: sql`${oneTimeSecrets.payload} || ${JSON.stringify({ askedAt: now })}::jsonb` })
    .where(and(ownBinding(userId), sql`${asked} <= ${now - ASK_SECONDS}`))
    .returning({ subject: oneTimeSecrets.subject });
  return rows.length > 0;
}

/** Creates the target, once per code. */
async function bind(ctx: ServiceContext, userId: number, secretHash: string, uid: string): Promise<number> {
  const config = readConfig("wxpusher", { uid }, null);
  return ctx.db.transaction(async (tx) => {
    const [row] = await tx
      .select({ payload: sql<Payload>`${oneTimeSecrets.payload}`, secretHash: oneTimeSecrets.secretHash })
      .from(oneTimeSecrets)
      .where(ownBinding(userId))
      .for("update");
    if (row?.payload.targetId !== undefined) return row.payload.targetId;
    if (!row || row.secretHash !== secretHash) throw new AppError("not_found", "notifyBindingUnknown");
    const [owner] = await tx.select({ role: users.role }).from(users).where(eq(users.id, userId));
    if (!owner) throw new AppError("not_found", "notifyBindingUnknown");
    const targetId = await insertTarget(
      tx,
      { id: userId },
      {
        kind: "wxpusher",
        name: "",
        events: defaultEvents(owner.role >= ROLE.root),
        configCipher: seal(JSON.stringify(config)),
        hint: hintOf(config),
      },
    );
    await tx
      .update(oneTimeSecrets)
      .set({ payload: sql`${oneTimeSecrets.payload} || ${JSON.stringify({ targetId })}::jsonb` })
      .where(ownBinding(userId));
    await writeAudit(tx, ctx, {
      action: "notification.target-save",
      subject: `user:${userId}`,
      after: { target: targetId, kind: "wxpusher" },
    });
    return targetId;
  });
}
