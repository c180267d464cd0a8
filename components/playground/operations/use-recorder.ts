"use client";

import { useEffect, useRef, useState } from "react";

/** Records the microphone into a file. "refused": the browser or the user does not allow it. */
export function useRecorder(onFile: (file: File) => void) {
  const [state, setState] = useState<"idle" | "recording" | "refused">("idle");
  const recorder = useRef<MediaRecorder | null>(null);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      recorder.current?.stop();
    };
  }, []);
  const start = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = new MediaRecorder(stream);
      const parts: Blob[] = [];
      made.ondataavailable = ({ data }) => parts.push(data);
      made.onstop = () => {
        for (const track of stream.getTracks()) track.stop();
        recorder.current = null;
        if (isGone.current) return;
        setState("idle");
        const type = made.mimeType.split(";")[0] ?? "";
        const ending = type.endsWith("mp4") ? "mp4" : type.endsWith("ogg") ? "ogg" : "webm";
        onFile(new File(parts, `recording.${ending}`, { type }));
      };
      recorder.current = made;
      made.start();
      if (isGone.current) made.stop();
      else setState("recording");
    } catch {
      setState("refused");
    }
  };
  return { state, start, stop: () => recorder.current?.stop() };
}
