import type { Database } from "@/db/client";
import { channels } from "@/db/schema";
import { seal } from "@/lib/crypto";
import type { Times } from "./fault";
import { setOptions } from "./options";
import type { FaultChannel, OpenRow } from "./upstream";

/** Adds the channels of all rows, of which the faulty one is asked first, and the options. */
export async function prepareRows(db: Database, rows: readonly OpenRow[], times: Times): Promise<void> {
  await setOptions(db, rows, times);
  await addChannels(db, rows);
}

async function addChannels(db: Database, rows: readonly OpenRow[]): Promise<void> {
  const keyCipher = seal("fault-key");
  const channelOf = (model: string, { baseUrl }: FaultChannel, priority: number) => {
    return { name: `${model}, priority ${priority}`, keyCipher, baseUrl, models: model, priority };
  };
  await db
    .insert(channels)
    .values(
      rows.flatMap(({ model, otherModel, faulty, healthy }) => [
        channelOf(model, faulty, 10),
        ...(healthy ? [channelOf(otherModel, healthy, 0)] : []),
      ]),
    );
}
