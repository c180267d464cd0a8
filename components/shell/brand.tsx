import type { ReactNode } from "react";

/** The product's logo: water flowing over a weir. */
function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={className} fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
      <path d="M2 7.5h7c3.2 0 3.4 2.2 3.6 4.5.2 2.3.5 4.5 3.6 4.5H22" strokeLinecap="round" />
      <path d="M2 12h5.5M2 16.5h8M16.5 12H22" strokeLinecap="round" opacity=".55" />
    </svg>
  );
}

type BrandProps = { name: string; logo?: string; children?: ReactNode };

/** The site's name with the operator's logo, or the product's logo by default. */
export function Brand({ name, logo = "", children }: BrandProps) {
  return (
    <span className="flex min-w-0 items-center gap-2 font-semibold text-[0.9375rem] tracking-tight">
      {logo ? (
        // biome-ignore lint/performance/noImgElement: an address that the operator chose
        <img src={logo} alt="" referrerPolicy="no-referrer" className="size-7 shrink-0 rounded-md object-contain" />
      ) : (
        <span className="grid size-7 shrink-0 place-items-center rounded-md bg-primary text-primary-foreground">
          <Mark className="size-4.5" />
        </span>
      )}
      <span dir="auto" className="truncate">
        {name}
      </span>
      {children}
    </span>
  );
}
