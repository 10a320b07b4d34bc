"""What happens to users, played through the door that they would use."""
