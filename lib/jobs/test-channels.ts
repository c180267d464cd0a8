import type { Sql } from "@/db/client";
import { testChannelsBySchedule } from "@/lib/channel/test-commands";
import { env } from "@/lib/env";

/** Tests channels whose last test is at least CHANNEL_TEST_FREQUENCY minutes ago (contract §11); does nothing when it is 0. */
export async function testChannels(sql: Sql, stopping?: AbortSignal): Promise<string> {
  const everySeconds = Math.round(env().CHANNEL_TEST_FREQUENCY * 60);
  if (everySeconds === 0) return "switched off";
  const run = await testChannelsBySchedule(sql, everySeconds, stopping);
  return run ? `${run.tested} tested, ${run.disabled} switched off, ${run.enabled} on` : "another run is going on";
}
