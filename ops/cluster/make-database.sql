-- Once, as the account postgres, on the primary.
create role weir login password '@WEIR_PASSWORD@';
create database weir owner weir;
