-- A proof is good once, whichever tenant's client sends it: it names none (RFC 9449 11.1).
alter table used_dpop_proofs drop constraint used_dpop_proofs_pkey, add primary key (digest);
