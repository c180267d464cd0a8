export type WavFormat = { samplesPerSecond: number; bits: 8 | 16 };

const HEADER_BYTES = 44;

/** The header of a WAV file with one channel; `bytes` of samples follow it. */
export function wavHeader(bytes: number, { samplesPerSecond, bits }: WavFormat): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const write = (at: number, word: string): void => {
    for (let i = 0; i < word.length; i++) header.setUint8(at + i, word.charCodeAt(i));
  };
  const sampleBytes = bits / 8;
  write(0, "RIFF");
  header.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  write(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, samplesPerSecond, true);
  header.setUint32(28, samplesPerSecond * sampleBytes, true);
  header.setUint16(32, sampleBytes, true);
  header.setUint16(34, bits, true);
  write(36, "data");
  header.setUint32(40, bytes, true);
  return new Uint8Array(header.buffer);
}
