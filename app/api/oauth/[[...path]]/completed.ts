import { signInCookie } from "@/lib/auth/session-cookie";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { Reply } from "@/lib/http/reply";
import type { Completed } from "@/lib/oauth/sign-in";
import type { OutsideProvider } from "@/lib/oauth/types";
import { toWireSignedIn } from "@/lib/user/wire";

/** "bind" in the message is a signal to clients, in every language; otherwise data is the user (contract §13.3). */
export async function toReply(
  ctx: ServiceContext,
  request: Request,
  provider: OutsideProvider,
  completed: Completed,
): Promise<Reply> {
  if (completed.type === "bound") return new Reply({ message: "bind" });
  const { account } = completed;
  const cookie = await signInCookie(ctx.db, request, { userId: account.id, method: provider });
  return new Reply({ data: toWireSignedIn(account) }, [cookie]);
}

/** A link on another site must not sign the reader in as somebody else. */
export function assertOwnSite(request: Request): void {
  if (request.headers.get("sec-fetch-site") === "cross-site") throw new AppError("forbidden", "crossSite");
}
