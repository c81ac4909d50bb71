-- The installation's: how each worker's windows stand (docs/windows.md), for people to look at. A row is good for some
-- seconds, and nothing is decided by it, so it need not outlive a crash.
create unlogged table worker_windows (
  worker_id uuid primary key,
  windows jsonb not null, -- by connection
  seen_on timestamptz not null default now()
);
