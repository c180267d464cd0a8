"use client";

/** Shown when even the root layout fails to render. The language is not known here, so the text is English. */
export default function GlobalError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: "system-ui, sans-serif", maxWidth: 480, margin: "15vh auto", padding: 24 }}>
        <title>Weir</title>
        <h1 dir="auto" style={{ fontSize: 18 }}>
          页面加载失败 · This page could not be loaded
        </h1>
        <p>
          服务器或数据库暂时不可用，请稍后重试。 The server or its database is not available. Try again in a moment.
        </p>
        {error.digest ? <p>{error.digest}</p> : null}
        <button type="button" onClick={reset}>
          重试 · Try again
        </button>
      </body>
    </html>
  );
}
