import { signInCookie } from "@/lib/auth/session-cookie";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { Reply } from "@/lib/http/reply";
import type { Completed } from "@/lib/oauth/complete";
import type { OutsideProvider } from "@/lib/oauth/types";
import { toWireSignedIn } from "@/lib/user/wire";

/** "bind" in the message is a signal to clients, in every language; otherwise data is the user (contract §13.3). */
export function toReply(completed: Completed, setCookies: readonly string[]): Reply {
  if (completed.type === "bound") return new Reply({ message: "bind" });
  return new Reply({ data: toWireSignedIn(completed.account) }, setCookies);
}

/** As above for a provider that is not next-auth's, with a session made here. */
export async function signInReply(
  ctx: ServiceContext,
  request: Request,
  provider: OutsideProvider,
  completed: Completed,
): Promise<Reply> {
  if (completed.type === "bound") return toReply(completed, []);
  return toReply(completed, [await signInCookie(ctx.db, request, { userId: completed.account.id, method: provider })]);
}

/** A link on another site must not sign the reader in as somebody else. */
export function assertOwnSite(request: Request): void {
  if (request.headers.get("sec-fetch-site") === "cross-site") throw new AppError("forbidden", "crossSite");
}
