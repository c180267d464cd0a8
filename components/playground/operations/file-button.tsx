"use client";

import { type ReactNode, useId } from "react";

type FileButtonProps = { accept: string; onFile: (file: File) => void; children: ReactNode };

/** A button that lets a file be chosen. */
export function FileButton({ accept, onFile, children }: FileButtonProps) {
  const id = useId();
  return (
    <>
      <input
        id={id}
        type="file"
        accept={accept}
        className="peer sr-only"
        onChange={(event) => {
          const [first] = event.target.files ?? [];
          if (first) onFile(first);
          // The same file can be chosen again after a change.
          event.target.value = "";
        }}
      />
      <label
        htmlFor={id}
        className="inline-flex h-9 cursor-pointer items-center gap-1.5 rounded-md border border-input bg-surface px-3.5 font-medium text-sm hover:bg-muted peer-focus-visible:outline-2 peer-focus-visible:outline-ring"
      >
        {children}
      </label>
    </>
  );
}
