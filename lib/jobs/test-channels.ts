import type { Sql } from "@/db/client";
import { testChannelsBySchedule } from "@/lib/channel/test-commands";
import { env } from "@/lib/env";

/** Tests the channels whose last test is CHANNEL_TEST_FREQUENCY minutes old (contract §11); without it, none. */
export async function testChannels(sql: Sql): Promise<string> {
  const everySeconds = Math.round(env().CHANNEL_TEST_FREQUENCY * 60);
  if (everySeconds === 0) return "switched off";
  const run = await testChannelsBySchedule(sql, everySeconds);
  return run ? `${run.tested} tested, ${run.disabled} switched off, ${run.enabled} on` : "another run is going on";
}
