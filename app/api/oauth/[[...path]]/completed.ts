import { signInCookie } from "@/lib/auth/session-cookie";
import type { ServiceContext } from "@/lib/context";
import { Reply } from "@/lib/http/reply";
import type { Completed } from "@/lib/oauth/complete";
import type { OutsideProvider } from "@/lib/oauth/types";
import { toWireSignedIn } from "@/lib/user/wire";

/** The message "bind" is a signal to clients in every language. Otherwise data is the user (contract §13.3). */
export function toReply(completed: Completed, setCookies: readonly string[]): Reply {
  if (completed.type === "bound") return new Reply({ message: "bind" });
  return new Reply({ data: toWireSignedIn(completed.account) }, setCookies);
}

/** The same for a provider that next-auth does not handle; creates the session here. */
export async function signInReply(
  ctx: ServiceContext,
  request: Request,
  provider: OutsideProvider,
  completed: Completed,
): Promise<Reply> {
  if (completed.type === "bound") return toReply(completed, []);
  return toReply(completed, [await signInCookie(ctx.db, request, { userId: completed.account.id, method: provider })]);
}
