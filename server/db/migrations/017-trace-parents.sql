-- W3C Trace Context of the request that made the event; its attempts are of the same trace.
alter table events add column trace_parent text;
