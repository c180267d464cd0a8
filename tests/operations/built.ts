// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { ensureBuilt } from "@/scripts/steps.mjs";

/** Several files run what `npm start` runs. */
export default async function setup(): Promise<void> {
  await ensureBuilt();
}
