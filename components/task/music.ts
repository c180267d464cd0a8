/** One song of a finished task; missing values are "" or null. */
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
 * The songs in an upstream's result: a list of songs, one song, or lyrics alone. Entries with neither audio nor lyrics are
 * skipped.
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

/** Accepts only http(s) and data URLs of media, because the upstream's value could be a "javascript:" URL. */
export function webAddress(value: unknown): string {
  if (typeof value !== "string") return "";
  if (/^data:(audio|image|video)\//.test(value)) return value;
  return /^https?:\/\//i.test(value) && URL.canParse(value) ? value : "";
}
