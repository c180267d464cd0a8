import { inArray } from "drizzle-orm";
import type { Database } from "@/db/client";
import { tasks, users } from "@/db/schema";
import { wavHeader } from "@/lib/wav";

const SAMPLE_RATE = 8_000;
const TUNE_HERTZ = [262, 330, 392, 523, 392, 330, 262, 196];

type Task = Omit<typeof tasks.$inferInsert, "userId" | "createdAt" | "updatedAt">;
type Drawing = Omit<Task, "taskId" | "platform"> & { mjId: string; imageUrl?: string };

/** Drawing and music tasks in every state, from today and the days before. They cost nothing, so balances stay unchanged. */
export async function seedMedia(tx: Database, channelId: number): Promise<void> {
  const owners = await tx
    .select({ id: users.id })
    .from(users)
    .where(inArray(users.username, ["alice", "bob", "root"]))
    .orderBy(users.id);
  const now = Date.now();
  const ownerOf = (index: number) => owners[index % owners.length]?.id ?? 1;
  const rows = [...drawings(now).map(toTask), ...songs(now)];
  await tx.insert(tasks).values(
    rows.map((row, index) => ({
      ...row,
      wire: row.platform,
      channelId,
      userId: ownerOf(index),
      createdAt: Math.floor((row.submitTime ?? 0) / 1_000),
      updatedAt: Math.floor((row.finishTime || row.submitTime || 0) / 1_000),
    })),
  );
}

function toTask({ mjId, imageUrl, ...row }: Drawing): Task {
  return { ...row, taskId: mjId, platform: "mj", results: imageUrl === undefined ? [] : [imageUrl] };
}

function drawings(now: number): Drawing[] {
  const prompts = [
    "a river running over a weir at dawn, ink and wash --ar 3:2",
    "水墨风格的堰坝，清晨薄雾",
    "isometric water mill, soft light",
    "blueprint of a sluice gate, white on blue",
    "reeds in the wind, macro photograph",
  ];
  const kinds = ["IMAGINE", "UPSCALE", "VARIATION", "BLEND", "REROLL", "ZOOM", "PAN", "INPAINT"];
  const done = prompts.map((prompt, index): Drawing => {
    const submitTime = now - (index * 9 + 1) * 3_600_000;
    return {
      action: kinds[index] ?? "IMAGINE",
      code: 1,
      mjId: `demo-drawing-${index + 1}`,
      prompt,
      promptEn: prompt.startsWith("水") ? "a weir in ink wash style, morning mist" : prompt,
      submitTime,
      startTime: submitTime + 2_000,
      finishTime: submitTime + (index === 2 ? 94_500 : 31_200 + index * 4_100),
      imageUrl: picture(index),
      status: "SUCCESS",
      progress: "100%",
    };
  });
  const open = { code: 1, prompt: "a heron standing below the weir", promptEn: "a heron standing below the weir" };
  return [
    ...done,
    {
      ...open,
      action: "IMAGINE",
      mjId: "demo-drawing-running",
      submitTime: now - 40_000,
      status: "IN_PROGRESS",
      progress: "62%",
    },
    { ...open, action: "MODAL", code: 21, mjId: "demo-drawing-modal", submitTime: now - 70_000, status: "MODAL" },
    {
      ...open,
      action: "DESCRIBE",
      code: 22,
      mjId: "demo-drawing-queued",
      submitTime: now - 15_000,
      status: "SUBMITTED",
    },
    {
      ...open,
      action: "SWAP_FACE",
      mjId: "demo-drawing-failed",
      submitTime: now - 7_200_000,
      finishTime: now - 7_190_000,
      status: "FAILURE",
      progress: "12%",
      failReason: "Banned prompt detected: the upstream refused the picture",
    },
  ];
}

/** A small image of hills and water; the colours depend on the index. */
function picture(index: number): string {
  const hue = (190 + index * 47) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 320"><rect width="480" height="320" fill="hsl(${hue} 45% 82%)"/><circle cx="${90 + index * 60}" cy="80" r="36" fill="hsl(${(hue + 160) % 360} 70% 75%)"/><path d="M0 190q120-90 240-20t240-40v190H0z" fill="hsl(${hue} 35% 55%)"/><path d="M0 240q60-14 120 0t120 0 120 0 120 0v80H0z" fill="hsl(${hue} 55% 38%)"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}

function songs(now: number): Task[] {
  const song = {
    title: "Over the weir",
    audio_url: tune(),
    image_url: picture(1),
    metadata: {
      tags: "folk, calm, acoustic",
      prompt:
        "[Verse]\nThe river runs through the weir\nEvenly and without a sound\n\n[Chorus]\nOver the stones, over the year",
      duration: (TUNE_HERTZ.length * 2) / 8,
    },
  };
  const at = (id: string, ago: number, row: Partial<Task>): Task => ({
    taskId: id,
    platform: "suno",
    action: "MUSIC",
    submitTime: now - ago * 1_000,
    ...row,
  });
  return [
    at("demo-song-1", 900, { status: "SUCCESS", progress: "100%", finishTime: now - 812_000, data: [song] }),
    at("demo-lyrics-1", 1_500, {
      action: "LYRICS",
      status: "SUCCESS",
      progress: "100%",
      finishTime: now - 1_489_000,
      data: { title: "堰上", text: "[主歌]\n河水流过石堰\n静静地，没有声响", status: "complete" },
    }),
    at("demo-song-2", 60, { status: "IN_PROGRESS", progress: "30%" }),
    at("demo-song-3", 30, { status: "QUEUED" }),
    at("demo-song-4", 8, { status: "" }),
    at("demo-song-5", 2_400, {
      status: "FAILURE",
      progress: "100%",
      finishTime: now - 2_380_000,
      failReason: "the lyrics were refused by the upstream's moderation",
    }),
  ];
}

/** A few notes as an 8-bit PCM WAV file in a data URL. */
function tune(): string {
  const perNote = SAMPLE_RATE / 4;
  const samples = Buffer.alloc(TUNE_HERTZ.length * perNote);
  TUNE_HERTZ.forEach((hertz, note) => {
    for (let i = 0; i < perNote; i++) {
      const fading = 1 - i / perNote;
      const wave = Math.sin((2 * Math.PI * hertz * i) / SAMPLE_RATE);
      samples[note * perNote + i] = Math.round(128 + 60 * fading * wave);
    }
  });
  const header = wavHeader(samples.length, { samplesPerSecond: SAMPLE_RATE, bits: 8 });
  return `data:audio/wav;base64,${Buffer.concat([header, samples]).toString("base64")}`;
}
