/**
 * How the relay reads a channel's key and address. It is loaded when a channel is saved, because pages import what saves
 * channels too.
 */
export async function loadChecks() {
  const [{ checkKeys }, { meantBaseUrl }] = await Promise.all([import("./key-check"), import("./meant-base-url")]);
  return { checkKeys, meantBaseUrl };
}

export type Checks = Awaited<ReturnType<typeof loadChecks>>;
