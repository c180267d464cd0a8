import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { LANDING_PAGE, redirectTarget } from "@/lib/auth/redirect-target";
import { getContext } from "@/lib/auth/session";
import type { ServiceContext, UserActor } from "@/lib/context";
import { PATH_HEADER } from "@/lib/page-user";

/** The context of a page that needs a session. Without one it redirects to sign-in, which leads back to this page. */
export async function getSignedIn(): Promise<ServiceContext & { actor: UserActor }> {
  const ctx = await getContext();
  const { actor } = ctx;
  if (actor.type === "user") return { ...ctx, actor };
  const wanted = redirectTarget((await headers()).get(PATH_HEADER) ?? undefined);
  const back = wanted === LANDING_PAGE ? "" : `&redirect=${encodeURIComponent(wanted)}`;
  redirect(`/login?expired=true${back}`);
}
