import { consolePath } from "@/components/shell/menu";
import { NotFoundMessage } from "@/components/shell/not-found-message";
import { getContext } from "@/lib/auth/session";
import { getSite } from "../site";

/** An address that no route has, or that a public route refuses. The layout has the bar already. */
export default async function PublicNotFound() {
  const [{ actor }, { flags }] = await Promise.all([getContext(), getSite()]);
  return <NotFoundMessage consoleHref={actor.type === "user" ? consolePath(flags) : null} />;
}
