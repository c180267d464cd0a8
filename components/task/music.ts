/** One piece of music of a finished task; "" and null where the upstream said nothing. */
export type Song = {
  title: string;
  audioUrl: string;
  imageUrl: string;
  lyrics: string;
  tags: string;
  /** Seconds. */
  duration: number | null;
};

/**
 * Pieces of music and lyrics in what an upstream answered: a list of songs, one song, or lyrics alone. What has neither
 * a sound nor words is none.
 */
export function readSongs(data: unknown): Song[] {
  const entries = Array.isArray(data) ? data : [data];
  return entries.flatMap((entry) => {
    const song = readSong(entry);
    return song && (song.audioUrl !== "" || song.lyrics !== "") ? [song] : [];
  });
}

function readSong(entry: unknown): Song | null {
  if (typeof entry !== "object" || entry === null) return null;
  const song = entry as Record<string, unknown>;
  const metadata = typeof song.metadata === "object" && song.metadata !== null ? song.metadata : {};
  const more = metadata as Record<string, unknown>;
  return {
    title: text(song.title),
    audioUrl: webAddress(song.audio_url),
    imageUrl: webAddress(song.image_large_url) || webAddress(song.image_url),
    lyrics: text(song.text) || text(song.lyric) || text(more.prompt),
    tags: text(song.tags) || text(more.tags),
    duration: typeof more.duration === "number" && more.duration > 0 ? more.duration : null,
  };
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Only what a player can open; a "javascript:" in an upstream's answer is no address. */
function webAddress(value: unknown): string {
  if (typeof value !== "string") return "";
  if (/^data:(audio|image)\//.test(value)) return value;
  return /^https?:\/\//i.test(value) && URL.canParse(value) ? value : "";
}
