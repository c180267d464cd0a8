import type { ReactNode } from "react";

type MessagePageProps = { icon: ReactNode; title: ReactNode; text: ReactNode; children?: ReactNode };

/** A page with only a message, such as "not found" or "no access". */
export function MessagePage({ icon, title, text, children }: MessagePageProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-24 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-muted text-muted-foreground [&_svg]:size-6">
        {icon}
      </span>
      <h1 dir="auto" className="font-semibold text-lg">
        {title}
      </h1>
      <p className="mt-1.5 text-muted-foreground">{text}</p>
      {children ? <div className="mt-5 flex flex-wrap justify-center gap-2">{children}</div> : null}
    </div>
  );
}
