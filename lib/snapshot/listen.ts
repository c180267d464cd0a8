import { connect } from "@/db/connect";

export type Listener = { stop: () => Promise<void> };

/**
 * Hears every notification on the channel `weir` over a connection of its own. `onConnect` runs on each (re)connection:
 * what was said in between is lost, so the hearer has to forget what it remembers.
 */
export async function listenToChanges(
  url: string,
  onChange: (subject: string) => void,
  onConnect: () => void,
): Promise<Listener> {
  const sql = connect(url, {
    max: 1,
    connect_timeout: 5,
    // A short, steady wait: until it is back, revocations are not heard.
    backoff: () => 0.25,
    keep_alive: 5,
    onnotice: () => {},
    connection: { application_name: "weir-listen" },
  });
  await sql.listen("weir", onChange, onConnect);
  return { stop: () => sql.end({ timeout: 1 }) };
}
