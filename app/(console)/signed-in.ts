import { redirect } from "next/navigation";
import { getContext } from "@/lib/auth/session";
import type { ServiceContext, UserActor } from "@/lib/context";

/** The context of a page that needs a session; without one the reader goes to sign in. */
export async function getSignedIn(): Promise<ServiceContext & { actor: UserActor }> {
  const ctx = await getContext();
  const { actor } = ctx;
  if (actor.type !== "user") redirect("/login?expired=true");
  return { ...ctx, actor };
}
