import { consolePath } from "@/components/shell/menu";
import { NotFoundMessage } from "@/components/shell/not-found-message";
import { getSite } from "../site";

/** A page of the console without its record. The layout has the bar and the menu already. */
export default async function ConsoleNotFound() {
  const { flags } = await getSite();
  return <NotFoundMessage consoleHref={consolePath(flags)} />;
}
